import { expect, test } from "bun:test";
import { readSettings } from "../kernel/config/config.ts";
import { gatewayProblems, gatewaySettings } from "./config.ts";
import { calledByName } from "./services.ts";

const enough = {
  GATEWAY_SECRET: "only-for-tests-only-for-tests-only-for-tests",
  REDIS_URL: "redis://:password@127.0.0.1:6379",
  ACCOUNT_URL: "http://account:8083/",
  ENTITLEMENT_URL: "http://entitlement:8081",
  MATCHMAKING_URL: "http://matchmaking:8084",
  NOTIFICATION_URL: "http://notification:8082",
  OIDC_ISSUER: "https://idp.example/realms/kenri",
  OIDC_CLIENT_ID: "kenri",
  OIDC_CLIENT_SECRET: "proof-proof-proof",
};
const problems = (environment: string, more: Record<string, string> = {}) =>
  gatewayProblems(readSettings(gatewaySettings(calledByName), { ...enough, ...more }), environment);

test("in production browsers come over https, or from this machine", () => {
  for (const url of ["https://kenri.example", "http://127.0.0.1:8080", "http://localhost"])
    expect([url, problems("production", { GATEWAY_PUBLIC_URL: url })]).toEqual([url, []]);
  for (const url of ["http://kenri.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example"])
    expect([url, problems("production", { GATEWAY_PUBLIC_URL: url }).length]).toEqual([url, 1]);
  expect(problems("production")).toHaveLength(1);
  expect(problems("development")).toEqual([]);
});

test("the public address is an origin, as browsers write it", () => {
  for (const url of ["https://kenri.example/app", "https://KENRI.example", "https://kenri.example:443"])
    expect([url, problems("production", { GATEWAY_PUBLIC_URL: url }).length]).toEqual([url, 1]);
});

test("the internal address of the provider is an origin: the path is the issuer's", () => {
  for (const url of ["http://keycloak:8180", "http://keycloak:8180/", "https://idp.internal"])
    expect([url, problems("test", { OIDC_INTERNAL_URL: url })]).toEqual([url, []]);
  expect(problems("test", { OIDC_INTERNAL_URL: "http://keycloak:8180/realms/kenri" })).toEqual([
    expect.stringContaining("OIDC_INTERNAL_URL must be an origin, e.g. http://keycloak:8180"),
  ]);
});

test("the address of Prometheus has no password, and its token does not go over plain http in production", () => {
  const inProduction = (more: Record<string, string>) => problems("production", { GATEWAY_PUBLIC_URL: "https://kenri.example", ...more });
  expect(problems("test", { PROMETHEUS_URL: "http://me:word@prometheus:9090" })).toEqual([expect.stringContaining("set PROMETHEUS_TOKEN")]);
  expect(inProduction({ PROMETHEUS_URL: "http://prometheus:9090" })).toEqual([]);
  expect(inProduction({ PROMETHEUS_URL: "https://prometheus.example", PROMETHEUS_TOKEN: "t" })).toEqual([]);
  expect(inProduction({ PROMETHEUS_URL: "http://prometheus:9090", PROMETHEUS_TOKEN: "t" })).toEqual([
    expect.stringContaining("PROMETHEUS_URL must be https"),
  ]);
});

test("every trusted proxy is an address or a network", () => {
  expect(problems("test", { TRUSTED_PROXIES: "10.0.0.0/8, ::1" })).toEqual([]);
  expect(problems("test", { TRUSTED_PROXIES: "10.0.0.0/8, proxy, 1.2.3.4/99" })).toHaveLength(2);
});

test("the error names every missing or wrong setting at once, and no secret", () => {
  const wrong = { ...enough, OIDC_ISSUER: "idp", ACCOUNT_URL: "ftp://account", REDIS_URL: "", OIDC_CLIENT_SECRET: "" };
  const message = (() => {
    try {
      readSettings(gatewaySettings(calledByName), wrong);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  })();
  for (const variable of ["OIDC_ISSUER", "ACCOUNT_URL", "REDIS_URL", "OIDC_CLIENT_SECRET"]) expect(message).toContain(variable);
});

test("the address of the trace viewer is http or https and says where the trace id goes", () => {
  for (const url of ["http://127.0.0.1:16686/trace/{trace_id}", "https://grafana.example/explore?left={trace_id}"])
    expect([url, problems("production", { GATEWAY_PUBLIC_URL: "https://kenri.example", TRACE_VIEWER_URL: url })]).toEqual([url, []]);
  for (const url of ["javascript:alert('{trace_id}')", "https://grafana.example/", "{trace_id}", "ftp://x/{trace_id}"])
    expect(() => problems("test", { TRACE_VIEWER_URL: url })).toThrow("TRACE_VIEWER_URL");
});
