import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testReach } from "../../../test/support/loopback-web.ts";
import { needs } from "../../../test/support/machine.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { getPublic } from "./get-public.ts";

/** A key and a certificate that nobody trusts. */
function makeCertificate(): { readonly key: string; readonly cert: string } {
  const { project } = tempWorkspace();
  const [key, cert] = [join(project, "key.pem"), join(project, "cert.pem")];
  const command = `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=a.public.test -keyout "${key}" -out "${cert}"`;
  execFileSync("sh", ["-c", command], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

test(
  "https goes to the checked address under its own name, and trusts no certificate but a good one",
  needs("openssl"),
  async () => {
    const certificate = makeCertificate();
    const names: string[] = [];
    const served: string[] = [];
    const server = createServer(
      {
        ...certificate,
        SNICallback: (name, answer) => {
          names.push(name);
          answer(null);
        },
      },
      (request, response) => {
        served.push(request.url ?? "");
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    // A server that listens on a port has an address of this shape.
    const { port } = server.address() as AddressInfo;
    const reach = testReach();
    const getting = getPublic(`https://a.public.test:${port}/`, {}, reach, new AbortController().signal);
    await expect(getting).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect([names, served, reach.lookups]).toEqual([["a.public.test"], [], ["a.public.test"]]);
  },
);
