export function notOpen(): never {
  throw new TypeError("the session is not open yet");
}
