import { Combobox } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import styles from './suggestions.module.css';

interface SuggestionsProps<T> {
  keyOf: (item: T) => string;
  children: (item: T) => ReactNode;
  label?: string;
  /** Text shown if nothing matches. */
  empty?: string;
}

/** List below a combobox. */
export function Suggestions<T>({ keyOf, children, label, empty }: SuggestionsProps<T>) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner className="popup-place" sideOffset={4} align="start">
        <Combobox.Popup className={`popup ${styles.list}`}>
          {empty && <Combobox.Empty className={`muted small ${styles.nothing}`}>{empty}</Combobox.Empty>}
          <Combobox.List aria-label={label}>
            {(item: T) => (
              <Combobox.Item key={keyOf(item)} value={item} className="item">
                {children(item)}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
