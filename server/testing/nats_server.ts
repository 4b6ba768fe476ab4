import { rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { nkeys } from "@nats-io/nats-core";
import { findNats } from "../../stack/nats_binary.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import { until } from "../../stack/wait.ts";
import { freePort } from "./gateway.ts";

/** A NATS server with a configuration of the test, without JetStream. */
export interface BareNats {
  readonly folder: string;
  readonly port: number;
  /** Restarts it with this configuration. */
  restart(config: string): Promise<void>;
  stop(): Promise<void>;
}

export async function bareNats(config: string): Promise<BareNats> {
  const folder = scratchFolder();
  const { path } = await findNats({ say: () => {} });
  const port = await freePort();
  const file = join(folder, "nats.conf");
  let child: Bun.Subprocess | undefined;

  async function start(text: string): Promise<void> {
    writeFileSync(file, `listen: "127.0.0.1:${port}"\n${text}`);
    const started = Bun.spawn([path, "--config", file], { stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    await until(`nats-server listens (${text})`, 10_000, async () => {
      if (started.exitCode !== null) throw new Error(await new Response(started.stderr).text());
      return listens(port);
    });
  }
  async function down(): Promise<void> {
    child?.kill("SIGKILL");
    await child?.exited;
  }

  await start(config);
  return {
    folder,
    port,
    async restart(text) {
      await down();
      await start(text);
    },
    async stop() {
      await down();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const listens = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, "127.0.0.1");
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });

/** A server that accepts JWTs, and the .creds file of one of its users. */
export function jwtUser(): { readonly config: string; readonly creds: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const system = nkeys.createAccount();
  const sign = (issuer: nkeys.KeyPair, subject: nkeys.KeyPair, nats: object) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { jti: crypto.randomUUID(), iat: 1, iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name: "test", nats };
    const signed = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part(claims)}`;
    return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`;
  };
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const accountJwt = (one: nkeys.KeyPair) => sign(operator, one, { limits, type: "account", version: 2 });
  const userJwt = sign(account, user, { subs: -1, data: -1, payload: -1, type: "user", version: 2 });
  return {
    config: `operator: ${sign(operator, operator, { type: "operator", version: 2, system_account: system.getPublicKey() })}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: ${accountJwt(account)}
  ${system.getPublicKey()}: ${accountJwt(system)}
}
`,
    creds: `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`,
  };
}
