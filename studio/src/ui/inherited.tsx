import { Status } from './status';

/** Mark of what a tenant reads of its parent. */
export const InheritedMark = () => <Status kind="none" word="Inherited" />;

/** Reason why something of the parent cannot be changed, and what to do instead. */
export const InheritedNotice = ({ word, name }: { word: string; name: string }) => (
  <p className="notice" role="status">
    <span className="break">
      Inherited from the parent tenant, which alone can change it. To override it, create a {word} named {name}.
    </span>
  </p>
);
