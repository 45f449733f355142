/** Outcome of one send: DELIVERED or FAILED; STOP ends the page. */
export type Sent = 'DELIVERED' | 'FAILED' | 'STOP';

/** Concurrency of a webhook, carried over from page to page. */
export interface Pace {
  /** Maximum concurrent requests: one at first, and one more after each success. */
  width: number;
  readonly most: number;
}

/**
 * Sends events, those of one subject one after another. `send` returns undefined if it has no slot besides the running requests;
 * without running requests it always sends.
 */
export function sendInLanes<Event extends { subject: string }>(
  events: Event[],
  pace: Pace,
  send: (event: Event, running: number) => Promise<Sent> | undefined,
): Promise<void> {
  const lanes = lanesOf(events, pace.most);
  let running = 0;
  let isStopped = false;
  return new Promise((resolve, reject) => {
    const settle = (lane: Event[], sent: Sent): void => {
      running -= 1;
      if (sent === 'STOP') isStopped = true;
      if (sent === 'DELIVERED') pace.width = Math.min(pace.width + 1, pace.most);
      if (lane.length > 0) lanes.push(lane);
      begin();
    };
    const fail = (error: Error): void => {
      isStopped = true;
      reject(error);
    };
    const begin = (): void => {
      while (!isStopped && running < pace.width && lanes.length > 0) {
        const sending = send(lanes[0]![0]!, running);
        if (!sending) break;
        const lane = lanes.shift()!;
        lane.shift();
        running += 1;
        sending.then((sent) => settle(lane, sent)).catch(fail);
      }
      if (running === 0) resolve();
    };
    begin();
  });
}

function lanesOf<Event extends { subject: string }>(events: Event[], most: number): Event[][] {
  const lanes: Event[][] = [];
  const laneOf = new Map<string, Event[]>();
  for (const event of events) {
    let lane = laneOf.get(event.subject);
    if (!lane) laneOf.set(event.subject, (lane = lanes[laneOf.size % most] ??= []));
    lane.push(event);
  }
  return lanes;
}
