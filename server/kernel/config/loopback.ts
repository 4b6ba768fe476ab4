/** Whether a host name or address is this machine itself. Names under `localhost` are, by RFC 6761. */
export const isLoopback = (host: string): boolean => /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host) || host === "";

/** Whether plain text to this address could be read by others: http to anything but this machine. */
export const isOpenHttp = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === "http:" && !isLoopback(parsed.hostname);
};
