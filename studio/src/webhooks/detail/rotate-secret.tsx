import { useMutation } from '@tanstack/react-query';
import { useApi } from '../../api/api-context';
import { RotateDialog } from '../../ui/rotate-dialog';
import { useReadAgain } from '../model/reads';
import type { Created } from '../model/save';
import { doorOf, type Hook } from '../model/webhook';

/** Creates a new secret. Both sign requests during the overlap. */
export function RotateSecret({
  hook,
  onClose,
  onSecret,
}: {
  hook: Hook;
  onClose: () => void;
  onSecret: (created: Created) => void;
}) {
  const { id, source } = hook;
  const api = useApi();
  const readAgain = useReadAgain();
  const rotating = useMutation({
    mutationFn: (overlap: number) => doorOf(api, source).rotateWebhookSecret({ id: id!, overlap }),
    onSuccess: ({ secret }) => {
      onSecret({ hook, secret: secret! });
      onClose();
      void readAgain();
    },
  });
  return (
    <RotateDialog
      title="Rotate secret"
      about="Requests are signed with both secrets until the current one expires."
      label="The current secret expires"
      what="secret"
      longestDays={7}
      rotating={rotating}
      onClose={onClose}
    />
  );
}
