-- Errors from before the triggers. Only these rows are locked: grants go on.
update notifications set error_fingerprint = fingerprint(last_error) where last_error is not null;
