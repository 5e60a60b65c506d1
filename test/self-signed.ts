import { join } from "node:path";

/** Files of a key and a certificate for a host, valid for a day. It needs openssl. */
export function selfSigned(host: string, directory: string): { key: string; cert: string } {
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`, "-days", "1"];
  const files = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert];
  const { exitCode, stderr } = Bun.spawnSync(["openssl", "req", "-x509", ...files, ...subject]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return { key, cert };
}
