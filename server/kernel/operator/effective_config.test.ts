import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allSettings } from "../../systems.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import { listSettings } from "../config/config.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri(
    { OUTBOX_LEASE: "17s", NATS_URL: "nats://relay:hunter2@127.0.0.1:1", SOMETHING_ELSE: "hunter2" },
    undefined,
    mint,
  );
  await kenri.start("entitlement:api notification:api account:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

interface Shown {
  readonly groups: {
    name: string;
    settings: { variable: string; value: string | null; preset: string | null; is_set: boolean; is_secret: boolean }[];
  }[];
}

describe.each(["entitlement", "notification", "account"] as const)("the configuration of %s", system => {
  const see = async (role: string) => {
    const credential = role.startsWith("kenri_") ? role : await mint.token(system, role.toLowerCase(), [role]);
    const response = await kenri.call(system, "/ops/config", { headers: { authorization: `Bearer ${credential}` } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  test("is for operators and admins, not for viewers or machines", async () => {
    for (const role of ["OPERATOR", "ADMIN"]) expect((await see(role)).status).toBe(200);
    for (const role of ["VIEWER", "USER"]) expectRefusal(await see(role), { status: 403, code: "FORBIDDEN" });
    // Account takes no API keys.
    expectRefusal(await see(kenri.key), system === "account" ? { status: 401, code: "UNAUTHORIZED" } : { status: 403, code: "FORBIDDEN" });
  });

  test("shows each setting with its value and its default", async () => {
    const { groups }: Shown = JSON.parse((await see("OPERATOR")).text);
    expect(groups.map(group => group.name)).toEqual(["kernel", system]);
    const all = groups.flatMap(group => group.settings);
    const of = (variable: string) => all.find(setting => setting.variable === variable);
    expect(of("BULK_CAP")).toMatchObject({ value: "1000", preset: "1000", is_set: false });
    expect(of("NATS_URL")).toMatchObject({ value: null, is_set: true, is_secret: true });
    expect(of("NATS_USER")).toMatchObject({ value: null, is_set: false, is_secret: false });
    if (system === "entitlement") expect(of("OUTBOX_LEASE")).toMatchObject({ value: "17s", preset: "30s", is_set: true });
    expect(of(`${system.toUpperCase()}_APP_DATABASE_URL`)).toMatchObject({ value: null, is_set: true, is_secret: true });
  });

  test("shows no secret of its environment, and nothing that is not a setting", async () => {
    const { text } = await see("ADMIN");
    expect(text).not.toContain("hunter2");
    const secrets = listSettings(allSettings).flatMap(({ variable, secret }) => (secret ? (kenri.environment[variable] ?? []) : []));
    expect(secrets.length).toBeGreaterThan(1);
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      const { password } = new URL(secret);
      if (password) expect(text).not.toContain(password);
    }
  });
});
