import { describe, expect, test } from "bun:test";
import { authenticator, newKey, sha256 } from "./auth.ts";
import { Problem } from "./problem.ts";

function keyring() {
  const stored = new Map<string, { client_id: string; secret_sha256: Uint8Array; scopes: string[]; live: boolean }>();
  let now = 0;
  let lookUps = 0;
  const find = async (keyId: string) => {
    lookUps++;
    const found = stored.get(keyId);
    return found && { ...found };
  };
  const authenticate = authenticator(find, undefined, () => now);
  return {
    stored,
    lookUps: () => lookUps,
    pass(milliseconds: number) {
      now += milliseconds;
    },
    add(client_id: string, scopes = ["entitlements:read"]) {
      const { key, keyId, secretSha256 } = newKey();
      stored.set(keyId, { client_id, secret_sha256: secretSha256, scopes, live: true });
      return { key, keyId };
    },
    ask: (authorization: string) =>
      authenticate(new Request("http://localhost/", { headers: authorization ? { authorization } : {} }), {
        scope: "entitlements:read",
      }).then(
        caller => caller.clientId,
        error => (error instanceof Problem ? error.status : error),
      ),
  };
}

describe("a key", () => {
  test("is made of 12 characters that name it and 256 bits that prove it, and only their hash is kept", () => {
    const { key, keyId, secretSha256 } = newKey();
    const [, id, ...secret] = key.split("_");
    expect(id).toBe(keyId);
    expect(Buffer.from(secret.join("_"), "base64url")).toHaveLength(32);
    expect(sha256(secret.join("_"))).toEqual(secretSha256);
    expect(new Set(Array.from({ length: 500 }, () => newKey().key)).size).toBe(500);
  });

  test("lets its client in, whatever the case of Bearer", async () => {
    const ring = keyring();
    const { key } = ring.add("shop");
    for (const scheme of ["Bearer", "bearer", "BEARER  "]) expect(await ring.ask(`${scheme} ${key}`)).toBe("shop");
  });

  test("without the scope gets 403, which only its holder learns", async () => {
    const ring = keyring();
    const { key } = ring.add("shop", ["ops:read"]);
    expect(await ring.ask(`Bearer ${key}`)).toBe(403);
    expect(await ring.ask(`Bearer ${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`)).toBe(401);
  });

  test("with another's secret, or none that fits, is refused", async () => {
    const ring = keyring();
    const [mine, theirs] = [ring.add("mine"), ring.add("theirs")];
    const secret = theirs.key.slice(19);
    for (const wrong of [
      `kenri_${mine.keyId}_${secret}`,
      `kenri_${mine.keyId}_${"A".repeat(31)}`,
      `kenri_${mine.keyId}_${"A".repeat(65)}`,
      `kenri_${mine.keyId}_`,
      `kenri_${mine.keyId.toUpperCase()}_${secret}`,
      "",
    ])
      expect(await ring.ask(`Bearer ${wrong}`)).toBe(401);
  });

  test("that ended, was never there, or is not live is refused alike", async () => {
    const ring = keyring();
    const { key, keyId } = ring.add("shop");
    ring.stored.get(keyId)!.live = false;
    expect(await ring.ask(`Bearer ${key}`)).toBe(401);
    expect(await ring.ask(`Bearer ${newKey().key}`)).toBe(401);
  });

  test("is believed for two seconds and no longer: a revocation takes effect then", async () => {
    const ring = keyring();
    const { key, keyId } = ring.add("shop");
    for (let n = 0; n < 100; n++) await ring.ask(`Bearer ${key}`);
    expect(ring.lookUps()).toBe(1);
    ring.stored.get(keyId)!.live = false;
    ring.pass(1999);
    expect(await ring.ask(`Bearer ${key}`)).toBe("shop");
    ring.pass(1);
    expect(await ring.ask(`Bearer ${key}`)).toBe(401);
    ring.stored.delete(keyId);
    ring.pass(2001);
    expect(await ring.ask(`Bearer ${key}`)).toBe(401);
  });

  test("that is new works at once beside the old one of its client", async () => {
    const ring = keyring();
    const [old, fresh] = [ring.add("shop"), ring.add("shop")];
    expect([await ring.ask(`Bearer ${old.key}`), await ring.ask(`Bearer ${fresh.key}`)]).toEqual(["shop", "shop"]);
  });

  test("that nobody has is looked up each time and fills no memory", async () => {
    const ring = keyring();
    const { key } = ring.add("shop");
    await ring.ask(`Bearer ${key}`);
    for (let n = 0; n < 3000; n++) await ring.ask(`Bearer ${newKey().key}`);
    expect(ring.lookUps()).toBe(3001);
    expect(await ring.ask(`Bearer ${key}`)).toBe("shop");
    expect(ring.lookUps()).toBe(3001);
  });
});

describe("the look-up of a key", () => {
  test("is one, however many requests come with it at once", async () => {
    const ring = keyring();
    const { key } = ring.add("shop");
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => ring.ask(`Bearer ${key}`))))).toEqual(new Set(["shop"]));
    expect(ring.lookUps()).toBe(1);
  });

  test("that fails is made again by the next request", async () => {
    let fails = true;
    const authenticate = authenticator(async () => {
      if (fails) throw new Error("away");
      return undefined;
    });
    const ask = () =>
      authenticate(new Request("http://localhost/", { headers: { authorization: `Bearer ${newKey().key}` } }), {}).catch(
        error => error.message,
      );
    expect(await ask()).toBe("away");
    fails = false;
    expect(await ask()).toContain("unknown, expired or revoked");
  });

  test("of one that was found before says so, so that made-up keys cannot hold it up", async () => {
    const { key, keyId, secretSha256 } = newKey();
    const asked: [string, boolean][] = [];
    let now = 0;
    const authenticate = authenticator(
      async (id, isKnown) => {
        asked.push([id, isKnown]);
        return id === keyId ? { client_id: "shop", secret_sha256: secretSha256, scopes: [], live: true } : undefined;
      },
      undefined,
      () => now,
    );
    const made = newKey();
    for (const one of [key, made.key, made.key, key]) {
      await authenticate(new Request("http://localhost/", { headers: { authorization: `Bearer ${one}` } }), {}).catch(() => {});
      now += 5000;
    }
    expect(asked).toEqual([
      [keyId, false],
      [made.keyId, false],
      [made.keyId, false],
      [keyId, true],
    ]);
  });
});
