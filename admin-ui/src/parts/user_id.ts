const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** User ids of the account service are UUIDs. */
export const isUserId = (text: string): boolean => uuid.test(text);
/** No other searchable id has the form of an e-mail address. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);
