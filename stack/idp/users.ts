export interface DemoUser {
  name: string;
  /** For the console; a player has none. */
  roles: readonly string[];
}

/** The users. The password is the key of the entry: for development only. */
const users: Readonly<Record<string, DemoUser>> = {
  viewer: { name: "Vera Viewer", roles: ["VIEWER"] },
  operator: { name: "Otto Operator", roles: ["OPERATOR"] },
  admin: { name: "Ada Admin", roles: ["ADMIN"] },
  alice: { name: "Alice Archer", roles: [] },
  bob: { name: "Bob Builder", roles: [] },
};

export const demoUsers = Object.entries(users).map(([username, user]) => ({ username, ...user }));

export function findUser(username: string): DemoUser | undefined {
  return Object.hasOwn(users, username) ? users[username] : undefined;
}

export function isPassword(username: string, password: string): boolean {
  return findUser(username) !== undefined && password === username;
}

export function claimsOf(issuer: string, username: string, { name, roles }: DemoUser) {
  return {
    sub: username,
    name,
    picture: `${issuer}/pictures/${username}.svg`,
    email: `${username}@example.test`,
    email_verified: true,
    roles: [...roles],
  };
}

/** A letter in a circle, so that the URL in `picture` works. */
export function pictureOf({ name }: DemoUser): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img"><title>${name}</title><circle cx="32" cy="32" r="32" fill="#2f5d50"/><text x="32" y="42" font-family="sans-serif" font-size="30" text-anchor="middle" fill="#fff">${name[0]}</text></svg>\n`;
}
