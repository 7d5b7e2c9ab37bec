"""What an evaluation writes: tables, figures, HTML, LaTeX."""
