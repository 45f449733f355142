import { v7 } from 'uuid';

/** A new id: UUIDv7 (RFC 9562), so ids sort by the time they were made. */
export const uuidv7 = (): string => v7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a string could be one of our ids; what could not be is unknown without a look in the database. */
export const isId = (text: string): boolean => UUID.test(text);
