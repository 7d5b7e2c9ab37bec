"""Make data sets from reports, images and annotations, with each statement checked."""
