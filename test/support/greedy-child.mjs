// Stands in for a render process: takes all memory when told to, where real templates would take minutes. It takes most of it in
// earlier jobs, since to take it all can last longer than a job may where a page of memory costs much.
const PARTS_OF_SOME = 14;
const taken = [];

/** Allocates 8 MB of the 256 MB of a render process. */
function takePart() {
  const some = [];
  some.length = 1_000_000;
  taken.push(some.fill(0.5));
}

process.on('message', ({ html }) => {
  if (html === 'some memory') for (let part = 0; part < PARTS_OF_SOME; part++) takePart();
  while (html === 'all memory') takePart();
  process.send({ result: html });
});
process.send('ready');
