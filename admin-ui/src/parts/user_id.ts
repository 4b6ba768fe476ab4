const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Users of the account service are known by UUIDs. */
export const isUserId = (text: string): boolean => uuid.test(text);
/** Nothing else that is searched for looks like an e-mail address. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);
