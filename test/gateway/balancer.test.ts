import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../support/config-workspace.ts";
import { findWorking, needs } from "../support/machine.ts";
import { createCluster, createWanderer, eventsOf } from "./machines.ts";

const GUIDE = new URL("../../docs/guides/run-it-on-several-machines.md", import.meta.url);
const ECHO = new URL("../fixtures/echo-server.cjs", import.meta.url).pathname;
const CONFIG = {
  mcpServers: { e: { command: process.execPath, args: [ECHO] } },
  permissions: { allow: ["e/echo"], ask: ["e/pid"] },
  gateway: { approvals: "inspector" },
  toolSearch: "off",
};
const PATIENT = { timeout: 30_000 };

/** The one block of that language. */
function snippet(language: string): string {
  const [, text = ""] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(readFileSync(GUIDE, "utf8")) ?? [];
  expect(text).not.toBe("");
  return text;
}

test("the configuration in the guide for several machines is one", async () => {
  const place = createWorkspace({ user: snippet("yaml") });
  const config = await place.load(
    {},
    { TOOLCRIB_STORE: "postgres://toolcrib:x@db.example.com/toolcrib", TOOLCRIB_TOKEN: "t" },
  );
  expect(config.notices).toEqual([]);
  expect(config.store.url.value).toBe("postgres://toolcrib:x@db.example.com/toolcrib");
  expect([...config.servers.keys()]).toEqual(["files"]);
});

test(
  "nginx as in the guide: calls, streams and large messages get through, and no machine is missed",
  needs("nginx", "openssl"),
  async () => {
    const cluster = createCluster(CONFIG);
    const [one, two] = [await cluster.start(), await cluster.start()];
    const away = await freePort();
    const balancer = await startNginx([one.url, two.url].map((url) => Number(new URL(url).port)).concat(away));
    const client = createWanderer();
    await client.initialize(balancer);
    const echo = (text: string) => client.request(balancer, "tools/call", { name: "e__echo", arguments: { text } });
    for (const text of ["one", "two", "three"]) expect((await echo(text)).result.content[0].text).toBe(text);
    expect((await echo("x".repeat(2_000_000))).status).toBe(200);
    const asking = await client.send(balancer, {
      id: "a",
      method: "tools/call",
      params: { name: "e__pid", arguments: {} },
    });
    const answers: unknown[] = [];
    for await (const { id, message } of eventsOf(asking)) {
      // What is sent before the answer comes through at once: nobody would answer otherwise.
      if (message === null) {
        expect(id).not.toBeNull();
        await expect.poll(() => one.crib.approvals.pending, PATIENT).toHaveLength(1);
        await one.crib.approvals.answer(one.crib.approvals.pending[0]?.id ?? "", { decision: "allow", by: "ada" });
      } else answers.push(message.result.isError ?? false);
    }
    expect(answers).toEqual([false]);
  },
);

/** The server of the guide, in front of these ports; its TLS part is only read. */
async function startNginx(ports: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-nginx-"));
  const at = (name: string): string => join(folder, name);
  const listens = await freePort();
  const [key, pem] = [at("key.pem"), at("cert.pem")];
  execFileSync(
    findWorking("openssl") ?? "",
    [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-subj",
      "/CN=x",
      "-keyout",
      key,
      "-out",
      pem,
    ],
    { stdio: "ignore" },
  );
  const servers = [...ports];
  const whole = snippet("nginx")
    .replace(/server 10\.0\.0\.\d:8787/g, () => `server 127.0.0.1:${servers.shift()}`)
    .replace("/etc/ssl/tools.example.com.pem", pem)
    .replace("/etc/ssl/tools.example.com.key", key)
    .replace("listen 443 ssl", `listen 127.0.0.1:${listens} ssl`);
  expect(servers).toEqual([]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${at(name)};`,
  );
  const write = (name: string, text: string): string => {
    const head = `daemon off; master_process off; pid ${at("pid")}; error_log ${at("log")}; events {}`;
    writeFileSync(at(name), `${head} http { access_log off; ${temporary.join(" ")} ${text} }`);
    return at(name);
  };
  const nginx = findWorking("nginx") ?? "";
  execFileSync(nginx, ["-t", "-q", "-e", at("log"), "-c", write("tls.conf", whole)]);
  const plain = whole.replace(" ssl;", ";").replace(/ +ssl_certificate.*\n/g, "");
  const child = spawn(nginx, ["-e", at("log"), "-c", write("plain.conf", plain)], { stdio: "ignore" });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  const address = `http://127.0.0.1:${listens}/mcp`;
  await expect
    .poll(
      () =>
        fetch(address).then(
          () => true,
          () => false,
        ),
      PATIENT,
    )
    .toBe(true);
  return address;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
