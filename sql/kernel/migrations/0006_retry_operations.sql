-- A bulk operation may also retry waiting rows at once.
alter table operations
  drop constraint operations_action_check,
  add constraint operations_action_check check (action in ('requeue', 'discard', 'retry'));
