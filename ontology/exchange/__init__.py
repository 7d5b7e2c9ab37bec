"""Mappings of texts in the forms that other tools read: SSSOM, FHIR, OMOP and Usagi."""
