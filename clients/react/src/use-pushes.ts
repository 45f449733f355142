import { connect, type ConnectOptions, type Message, type State } from '@platform-services/client/browser';
import { useEffect, useRef, useState } from 'react';

export interface PushesOptions extends Omit<ConnectOptions, 'onMessage' | 'onState'> {
  /** Receives each message once. With `acknowledge`, a message counts as delivered when the returned promise resolves. */
  onMessage?: (message: Message) => unknown;
  /** Number of newest messages in `messages`; 100 by default. */
  limit?: number;
  /** Identifies the recipient: another value opens a connection for another one and clears `messages`. */
  recipient?: string;
}

export interface Pushes {
  /** Newest messages, oldest first. */
  messages: readonly Message[];
  state: State;
}

const CONNECTING: State = { name: 'connecting' };
const NONE: Pushes = { messages: [], state: CONNECTING };

/**
 * Keeps one connection open while the component is mounted. `uri` asks your server for the `connectionUri` of `registerRecipient`, and
 * again whenever a URL no longer works.
 */
export function usePushes(uri: () => Promise<string>, options: PushesOptions = {}): Pushes {
  const [pushes, setPushes] = useState(NONE);
  const latest = useRef({ uri, options });
  useEffect(() => {
    latest.current = { uri, options };
  });
  const { recipient, acknowledge } = options;

  useEffect(() => {
    let isOver = false;
    const { onMessage: _1, limit: _2, recipient: _3, ...more } = latest.current.options;
    const connection = connect(() => latest.current.uri(), {
      ...more,
      onMessage: async (message) => {
        const { onMessage, limit = 100 } = latest.current.options;
        await onMessage?.(message);
        if (isOver) return;
        setPushes(({ messages, state }) => ({ messages: [...messages, message].slice(-limit), state }));
      },
      onState: (state) => !isOver && setPushes(({ messages }) => ({ messages, state })),
    });
    return () => {
      isOver = true;
      connection.close();
      setPushes(NONE);
    };
  }, [recipient, acknowledge]);
  return pushes;
}
