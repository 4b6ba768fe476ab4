/**
 * The gateway's cookies. Over https they have the __Host- prefix: only this host can set them, for all its paths. Browsers refuse the prefix
 * over plain http; there, on loopback, the cookies have the same attributes without it: HttpOnly, SameSite, Path=/, no Domain.
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
      // With two cookies of one name, another site may have set one of them.
      return values.length === 1 ? values[0] : undefined;
    },
    /** A Set-Cookie header: until the browser is closed, or for so many seconds. */
    set(name: string, value: string, seconds?: number): string {
      const age = seconds === undefined ? "" : `; Max-Age=${seconds}`;
      return `${nameOf(name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure() ? "; Secure" : ""}${age}`;
    },
    remove(name: string): string {
      return this.set(name, "", 0);
    },
  };
}

export type Cookies = ReturnType<typeof cookies>;
export const sessionCookie = "kenri";
export const signInCookie = "kenri-sign-in";
