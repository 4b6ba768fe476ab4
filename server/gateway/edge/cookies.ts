/**
 * The gateway's cookies. Over https they carry the __Host- prefix: only this host can set them, for all of it. Over plain http on
 * loopback, where a browser refuses that prefix, they are as close to it as can be: HttpOnly, SameSite, Path=/, no Domain.
 */
export function cookies(isSecure: () => boolean) {
  const nameOf = (name: string) => (isSecure() ? `__Host-${name}` : name);
  return {
    read(request: Request, name: string): string | undefined {
      const wanted = nameOf(name);
      const values = (request.headers.get("cookie") ?? "")
        .split(";")
        .map(part => part.trim())
        .filter(part => part.startsWith(`${wanted}=`))
        .map(part => part.slice(wanted.length + 1));
      // Two of one name: somebody else set one of them.
      return values.length === 1 ? values[0] : undefined;
    },
    /** The header that gives the browser a cookie, until it is closed or for so many seconds. */
    give(name: string, value: string, seconds?: number): string {
      const age = seconds === undefined ? "" : `; Max-Age=${seconds}`;
      return `${nameOf(name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? "; Secure" : ""}${age}`;
    },
    take(name: string): string {
      return this.give(name, "", 0);
    },
  };
}

export type Cookies = ReturnType<typeof cookies>;
export const sessionCookie = "kenri";
export const signInCookie = "kenri-sign-in";
