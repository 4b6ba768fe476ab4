-- What leads the lists of users: the beginning of an e-mail address or a name, byte by byte so that a beginning is one range under every
-- collation; who is suspended; who has a role beside USER.
create index users_email_begins on users ((lower(email) collate "C"), user_id) where email is not null;
create index users_name_begins on users ((lower(display_name) collate "C"), user_id) where display_name is not null;
create index users_suspended on users (user_id desc) where account_status = 'SUSPENDED';
create index account_roles_holders on account_roles (role, user_id desc) where role <> 'USER';
