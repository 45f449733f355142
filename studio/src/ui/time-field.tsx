import type { ComponentProps } from 'react';
import { TextField } from './controls';
import { timeLabel } from './zone';

/** A labelled date and time, in the chosen zone. Its value is the text of the browser field. */
export const TimeField = ({ label, ...rest }: Omit<ComponentProps<typeof TextField>, 'type'>) => (
  <TextField {...rest} label={timeLabel(label)} type="datetime-local" />
);
