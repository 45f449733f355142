import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { type Command, useAllCommands } from './commands';

/** Finds everything that can be gone to, made or copied from where the person is. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const commands = useAllCommands();
  const run = (command: Command) => {
    onClose();
    command.run();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Commands">
          <Autocomplete.Root
            open
            inline
            items={commands}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={({ word, group }: Command) => `${word} ${group}`}
          >
            <Autocomplete.Input className="palette-input" placeholder="Go to, create, copy …" aria-label="Find a command" />
            <Autocomplete.Empty className="muted palette-empty">Nothing is called that.</Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(command: Command) => (
                <Autocomplete.Item key={command.id} value={command} className="item" onClick={() => run(command)}>
                  <span className="grow truncate">{command.word}</span>
                  <span className="muted small">{command.group}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
