/** The part of juice that knows no network and no files. */
declare module 'juice/client' {
  export { default } from 'juice';
}
