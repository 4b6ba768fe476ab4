import "reflect-metadata"; // @peculiar/x509 needs it, and it must come first
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** Where a certificate and its key were written. Both are PEM, readable only by this user. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority for tests. */
export interface TestAuthority {
  /** The file with the authority's own certificate. */
  readonly ca: string;
  /** A certificate for a server with these names and addresses. */
  server(name: string, hosts?: readonly string[]): Promise<CertificateFiles>;
  /** A certificate for a client; `name` is its common name. */
  client(name: string): Promise<CertificateFiles>;
}

// The OpenSSL 1.1 of the embedded PostgreSQL and everything newer supports ECDSA on P-256.
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const day = 86_400_000;

const serialNumber = () => Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString("hex");
const makeKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
const isAddress = (host: string) => /^[\d.]+$|:/.test(host);

/** Makes an authority whose files are written to `folder`. */
export async function testAuthority(folder: string, name = "Kenri test authority"): Promise<TestAuthority> {
  const period = () => ({ notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) });
  const keys = await makeKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...period(),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });

  async function issue(file: string, subject: string, hosts: readonly string[], usage: ExtendedKeyUsage): Promise<CertificateFiles> {
    const own = await makeKeys();
    const names = hosts.map(value => ({ type: isAddress(value) ? ("ip" as const) : ("dns" as const), value }));
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: `CN=${subject}`,
      issuer: root.subject,
      ...period(),
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      ],
    });
    return write(file, certificate, own.privateKey);
  }

  async function write(file: string, certificate: X509Certificate, key: CryptoKey): Promise<CertificateFiles> {
    const files = { cert: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
    const pkcs8 = await crypto.subtle.exportKey("pkcs8", key);
    writeFileSync(files.cert, certificate.toString("pem"), { mode: 0o644 });
    writeFileSync(files.key, PemConverter.encode(pkcs8, "PRIVATE KEY"), { mode: 0o600 });
    return files;
  }

  mkdirSync(folder, { recursive: true });
  const ca = join(folder, "ca.crt");
  writeFileSync(ca, root.toString("pem"));
  return {
    ca,
    server: (file, hosts = ["localhost", "127.0.0.1"]) => issue(file, hosts[0] ?? file, hosts, ExtendedKeyUsage.serverAuth),
    client: file => issue(file, file, [], ExtendedKeyUsage.clientAuth),
  };
}
