"""What is computed from the folders of finished evaluations: leaderboards, numbers of cases."""
