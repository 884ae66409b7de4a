/** What the pages with passkeys run, for nothing else can ask an authenticator. It only carries bytes. */
export const PASSKEY_SCRIPT = `const main = document.querySelector("main");
const button = document.querySelector("button");
const problem = document.querySelector("[role=alert]");
const { mode, state, challenge, host } = document.querySelector("[data-mode]").dataset;

const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const toText = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const post = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.text ?? "something went wrong");
  return answer;
};
const say = (error) => {
  problem.textContent = error?.name === "NotAllowedError" ? "Nothing was chosen. Try again when you are ready." : error.message;
  button.disabled = false;
};

const logIn = async () => {
  const { id, response } = await navigator.credentials.get({
    publicKey: { challenge: toBytes(challenge), rpId: host, userVerification: "required", timeout: 120000 },
  });
  return post("/login/passkey", {
    state,
    id,
    owner: response.userHandle === null ? "" : new TextDecoder().decode(response.userHandle),
    clientData: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
  });
};

const token = mode === "new" ? location.hash.slice(1) : "";
let invited = null;
const accept = async () => {
  const { id, response } = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(challenge),
      rp: { id: host, name: "Toolcrib" },
      user: { id: new TextEncoder().encode(invited.owner), name: invited.name, displayName: invited.name },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
      timeout: 120000,
    },
  });
  return post("/login/invitation", {
    state,
    token,
    id,
    clientData: toText(response.clientDataJSON),
    authenticatorData: toText(response.getAuthenticatorData()),
    publicKey: toText(response.getPublicKey()),
  });
};

button.addEventListener("click", async () => {
  button.disabled = true;
  problem.textContent = "";
  try {
    const { location: next } = await (mode === "new" ? accept() : logIn());
    location.replace(next);
  } catch (error) {
    say(error);
  }
});

if (!("credentials" in navigator)) say(new Error("This browser has no passkeys here: the page needs https, and a browser that is not too old."));
else if (mode === "new") {
  try {
    invited = await post("/login/invitation/open", { token });
    document.querySelector("[data-name]").textContent = invited.name;
    main.querySelector("[data-known]").hidden = false;
    button.disabled = false;
  } catch (error) {
    say(error);
    button.hidden = true;
  }
} else button.disabled = false;
`;
