// Asking the server that this page comes from.

/** The server does not answer. */
export class Silence extends Error {}

/** The server does not do it; the message says why. */
export class Refusal extends Error {}

/** Its answer as plain values. body: what is sent, if anything is to change. Throws Silence or Refusal. */
export async function ask(path, body = null) {
  const response = await fetch(path, body ? sending(body) : {}).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (!answer) throw new Silence();
  if (answer.error) throw new Refusal(answer.error);
  return answer;
}

function sending(body) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}
