/** Entry point of juice that uses neither network nor files. */
declare module 'juice/client' {
  export { default } from 'juice';
}
