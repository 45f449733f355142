/** Operations of Studio that record an author, in their input or beside it. */
const SIGNED = [
  'createFile',
  'updateFile',
  'createTemplate',
  'updateTemplate',
  'putTemplateTranslation',
  'restoreTemplateVersion',
  'createPartial',
  'updatePartial',
  'createCss',
  'updateCss',
];

type Variables = Record<string, unknown> & { input?: object };
type Method = (variables: Variables, ...rest: unknown[]) => unknown;

/** Returns a service that sets the name of the key as author of changes. Without a name the author is cleared. */
export function signed<S extends object>(service: S, name: string | null): S {
  const author = name === null ? null : { name };
  const sign = (variables: Variables): Variables =>
    variables.input ? { ...variables, input: { author, ...variables.input } } : { author, ...variables };
  const methods = Object.entries(service as Record<string, Method>).filter(([operation]) => SIGNED.includes(operation));
  const own = methods.map(([operation, call]) => [
    operation,
    (variables: Variables, ...rest: unknown[]) => call(sign(variables), ...rest),
  ]);
  return { ...service, ...Object.fromEntries(own) } as S;
}
