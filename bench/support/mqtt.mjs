// Packets of MQTT 3.1.1 that a subscriber and a publisher with QoS 1 need.
const TOPIC = text('t');
const PUBLISH = 3;
const SUBACK = 9;

/** Returns the first packets of a subscriber: CONNECT with a clean session and without a keepalive, then SUBSCRIBE. */
export function mqttHello(clientId) {
  return Buffer.concat([connectPacket(clientId), packet(0x82, Buffer.from([0, 1]), TOPIC, Buffer.from([1]))]);
}

export function connectPacket(clientId) {
  return packet(0x10, text('MQTT'), Buffer.from([4, 2, 0, 0]), text(clientId));
}

/** Returns a message with QoS 1 and a packet id. */
export function publishPacket(id, payload) {
  return packet(0x32, TOPIC, Buffer.from([id >> 8, id & 255]), Buffer.from(payload));
}

/** Reads packets of the server, and answers each message by a PUBACK. Returns the bytes of an incomplete one. */
export function readMqtt(bytes, { subscribed, answer, received }) {
  let at = 0;
  for (;;) {
    const head = headOf(bytes, at);
    if (!head || bytes.length < head.end) return bytes.subarray(at);
    const kind = bytes[at] >> 4;
    if (kind === SUBACK) subscribed();
    if (kind === PUBLISH) {
      const id = head.from + 2 + bytes.readUInt16BE(head.from);
      answer(Buffer.from([0x40, 2, bytes[id], bytes[id + 1]]));
      received();
    }
    at = head.end;
  }
}

/** Returns where the content of a packet begins and ends; undefined until its length has arrived. */
function headOf(bytes, at) {
  let length = 0;
  for (let index = 1; at + index < bytes.length; index++) {
    const byte = bytes[at + index];
    length += (byte & 127) << (7 * (index - 1));
    if (byte < 128) return { from: at + index + 1, end: at + index + 1 + length };
  }
  return undefined;
}

function packet(type, ...parts) {
  const content = Buffer.concat(parts);
  const length = [];
  for (let left = content.length; length.length === 0 || left > 0; left >>= 7) length.push((left & 127) | (left > 127 ? 128 : 0));
  return Buffer.concat([Buffer.from([type, ...length]), content]);
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}
