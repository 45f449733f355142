// Stands in for a render process: takes all memory at once when told to, where real templates would take minutes.
process.on('message', ({ html }) => {
  const taken = [];
  while (html === 'memory') {
    const some = [];
    some.length = 4e6;
    taken.push(some.fill(0.5));
  }
  process.send({ result: html });
});
process.send('ready');
