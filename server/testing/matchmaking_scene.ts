import { signedIn } from "./browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "./gateway.ts";
import { testKenri } from "./kenri.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Of the token: the user, and the service that it is for. */
  readonly subject: string;
  readonly audience: string;
}

export const ticketId = "0192a000-0000-7000-8000-000000000001";
export const aTicket = { ticket_id: ticketId, mode: "casual", status: "QUEUED", attributes: {}, ahead: 0, waited_seconds: 1.5 };
export const aJoin = { idempotency_key: "k1", party_size: 1, attributes: { team: "red" } };
export const ticketsPath = "/v1/matchmaking/tickets";
export const ticketPath = `${ticketsPath}/${ticketId}`;
export const queuePath = "/v1/matchmaking/queues/casual/tickets";

/** A refusal of the service. */
export const problem =
  (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ status, code, detail: `about ${code}`, ...more }), {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    });

export const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code];

/** A gateway with alice and bob in front of a stand-in for matchmaking, which answers what the test sets and keeps what it was asked. */
export async function matchmakingScene() {
  const standIn = { answer: (): Response | Promise<Response> => Response.json(aTicket), isReady: true, asked: [] as Asked[] };
  const service = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      if (path === "/readyz") return new Response(null, { status: standIn.isReady ? 200 : 503 });
      const [, claims = ""] = request.headers.get("authorization")!.split(".");
      const { sub: subject, aud: audience } = JSON.parse(Buffer.from(claims, "base64url").toString());
      standIn.asked.push({ method: request.method, path, body: await request.text(), subject, audience });
      return standIn.answer();
    },
  });
  const kenri = await testKenri();
  const first = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", first.forServices);
  const settings = { MATCHMAKING_URL: `http://127.0.0.1:${service.port}`, GATEWAY_DEADLINE: "1s" };
  const gateway = await startGateway(kenri, first, settings);

  const [alice, bob] = [await signedIn(gateway, "alice"), await signedIn(gateway, "bob")];

  return {
    standIn,
    gateway,
    alice,
    bob,
    signedIn: (name: string) => signedIn(gateway, name),
    /** Another gateway in front of the same services. */
    anotherGateway: async (environment: Record<string, string>): Promise<TestGateway> =>
      startGateway(kenri, await gatewayPlace(), { ...settings, ...environment }),
    get: (path: string, headers = {}) => alice.fetch(`${gateway.url}${path}`, { headers }),
    join: (given: unknown = aJoin) => alice.send(gateway.url, "POST", queuePath, given),
    cancel: (path = ticketPath) => alice.call(gateway.url, path, { method: "DELETE" }),
    reset: () => Object.assign(standIn, { answer: () => Response.json(aTicket), isReady: true, asked: [] }),
    async close() {
      await kenri.close();
      await service.stop(true);
    },
  };
}

export type MatchmakingScene = Awaited<ReturnType<typeof matchmakingScene>>;
