"""Make the data of MEDSYN: evidence by modality, and options, from case reports."""
