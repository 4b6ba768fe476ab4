-- The audit lists a bulk action once, by its start. Its items name the operation in their detail, and are listed by it.
create index operator_actions_own on operator_actions (action_id) where detail ->> 'operation_id' is null;
create index operator_actions_operation on operator_actions ((detail ->> 'operation_id'), action_id) where detail ->> 'operation_id' is not null;
