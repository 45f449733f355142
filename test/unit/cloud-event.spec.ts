import { CloudEvent } from 'cloudevents';
import { bodyOf } from '../../src/common/events/outbox/cloud-event.js';

describe('the body of an event', () => {
  const subjectOf = (subject: string): string => {
    const event = { service: 'websockets-manager', type: 'RECIPIENT_ONLINE', subject, data: {} } as const;
    const { body } = bodyOf('01a213c1-e673-70fc-9945-7f457abb3ea2', event, new Date());
    const parsed = JSON.parse(body) as { subject: string };
    expect(new CloudEvent(parsed).validate()).toBe(true);
    return parsed.subject;
  };

  it.each([
    ['tab\there', 'tab%09here'],
    ['a\u007Fb\u0085c', 'a%7Fb%C2%85c'],
    ['a\uFFFEb', 'a%EF%BF%BEb'],
    ['100% Zoë 🙂', '100% Zoë 🙂'],
  ])('has the subject %j without characters that CloudEvents forbids', (given, written) => {
    expect(subjectOf(given)).toBe(written);
  });
});
