import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { withTimeout } from "../life/deadline.ts";
import { type RedisAddress, redisLogin } from "./redis_address.ts";

const sentences: readonly [pattern: RegExp, sentence: string][] = [
  [/^NOAUTH/, "Redis asks for a password (NOAUTH): set it in REDIS_URL or REDIS_PASSWORD"],
  [/^WRONGPASS/, "Redis refuses the user or the password (WRONGPASS): check REDIS_URL, REDIS_USER and REDIS_PASSWORD"],
  [
    /^NOPERM|^ERR The user executing the script/,
    "Redis does not permit its user what Kenri does (NOPERM): compare the ACL user with docs/security.md",
  ],
  [/^DENIED/, "Redis is in protected mode (DENIED): give it a password"],
  [
    /SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|CERT_SIGNATURE/,
    "Redis shows a certificate of an authority that is not known here: check REDIS_CA_FILE",
  ],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, "Redis shows a certificate that is out of its time: renew it"],
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH/, "Redis shows a certificate for another host name: check the host in REDIS_URL"],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, "Redis does not speak TLS on this port: check rediss:// and the port in REDIS_URL"],
  [/CERTIFICATE_REQUIRED|ALERT|HANDSHAKE/i, "Redis asks for a client certificate: set REDIS_CERT_FILE and REDIS_KEY_FILE"],
  [/^closed after TLS$/, "Redis closed the connection without an answer: it may ask for a client certificate, see REDIS_CERT_FILE"],
  [/^closed$/, "Redis closed the connection without an answer: if it takes only TLS, write rediss:// in REDIS_URL"],
];

/** The meaning of a refusal and what to do about it. */
export const sentenceOf = (refusal: string): string | undefined => sentences.find(([pattern]) => pattern.test(refusal))?.[1];

/**
 * Connects by hand to find out why the server refuses the connection: the client reports only that it was closed. Undefined if the server is
 * away or accepts the connection now.
 */
export async function whyRefused(address: RedisAddress, deadline: number): Promise<string | undefined> {
  let socket: Socket | undefined;
  try {
    const { host, port, user = "default", password, tls } = redisLogin(address);
    const greeting = ["HELLO", "3", ...(password === undefined ? [] : ["AUTH", user, password])];
    socket = tls ? connectTls({ host, port, ...tls, ...(isIP(host) ? {} : { servername: host }) }) : connectPlain({ host, port });
    const answer = await withTimeout(deadline, "Redis", firstLine(socket, tls ? "secureConnect" : "connect", encoded(greeting)));
    return answer.startsWith("-") ? (sentenceOf(answer.slice(1)) ?? `Redis refuses the connection: ${answer.slice(1)}`) : undefined;
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    if (code === "ENOENT" || code === "EACCES") return `Redis: a file for TLS cannot be read (${code}): check REDIS_CA_FILE and the others`;
    return sentenceOf(code) ?? sentenceOf(message);
  } finally {
    socket?.destroy();
  }
}

const encoded = (words: readonly string[]) =>
  `*${words.length}\r\n${words.map(word => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;

/** The first line of the server. The greeting contains the password, so it is sent only after the TLS handshake has verified the server. */
function firstLine(socket: Socket, proved: "connect" | "secureConnect", greeting: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    let isConnected = false;
    // A server that refuses the greeting just closes the connection; a server that is away was never connected.
    const ended = () => new Error(isConnected ? (proved === "secureConnect" ? "closed after TLS" : "closed") : "away");
    socket.on("error", error => reject((error as { code?: string }).code === "ECONNRESET" ? ended() : error));
    socket.on("close", () => reject(ended()));
    socket.on("data", chunk => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n")) resolve(text.slice(0, text.indexOf("\r\n")));
    });
    socket.on(proved, () => {
      isConnected = true;
      socket.write(greeting);
    });
  });
}
