-- Which attribute holds the text of ReqIF objects: what the sender named, and what was taken by type.
ALTER TABLE revision_sources ADD COLUMN text_attribute TEXT;
ALTER TABLE revision_sources ADD COLUMN text_attributes TEXT;
