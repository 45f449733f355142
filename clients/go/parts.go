package platform

import (
	"context"
	"errors"
	"io"
	"sync"
)

const (
	mib             = 1024 * 1024
	leastPartBytes  = 5 * mib
	mostPartBytes   = 5 * 1024 * mib
	mostParts       = 10_000
	usualPartBytes  = 16 * mib
	usualPartsFrom  = 256 * mib
	usualParallel   = 4
	mostParallel    = 16
	partSizeMessage = "PartBytes must be from 5 MiB to 5 GiB"
)

// partSize returns the part size for content of known or unknown size.
func partSize(wish, contentBytes int64) (int64, error) {
	if wish == 0 {
		wish = usualPartBytes
	}
	if wish < leastPartBytes || wish > mostPartBytes {
		return 0, errors.New(partSizeMessage)
	}
	if least := (contentBytes + mostParts - 1) / mostParts; least > wish {
		return least, nil
	}
	return wish, nil
}

// progress sums the bytes sent by all parts, in one call after another.
type progress struct {
	mutex      sync.Mutex
	done       int64
	total      int64
	onProgress func(done, total int64) error
}

func (p *progress) add(count int64) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done += count
	if p.onProgress == nil || count == 0 {
		return nil
	}
	return p.onProgress(p.done, p.total)
}

type arrivedPart struct {
	etag string
	size *float64
}

type partSender func(ctx context.Context, part *piece, onSent func(int64) error) (string, error)

// uploadParts sends missing parts, several concurrently, and returns the ETag of each by its number. After a failure no part is being
// sent, and sent parts stay on the server.
func uploadParts(outer context.Context, next pieces, arrived map[int]arrivedPart, send partSender, parallel int, count *progress) (map[int]string, error) {
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	etags := map[int]string{}
	var mutex sync.Mutex
	var group sync.WaitGroup
	var failure error
	fail := func(err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if failure == nil {
			failure = err
			cancel()
		}
	}
	room := make(chan struct{}, parallel)
	for ctx.Err() == nil {
		part, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fail(err)
			break
		}
		if there, isThere := arrived[part.number]; isThere && (there.size == nil || int64(*there.size) == part.size) {
			mutex.Lock()
			etags[part.number] = there.etag
			mutex.Unlock()
			if err := count.add(part.size); err != nil {
				fail(err)
			}
			continue
		}
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() { <-room }()
			before := int64(0)
			etag, err := send(ctx, part, func(sent int64) error {
				more := sent - before
				before = sent
				return count.add(more)
			})
			if err != nil {
				fail(err)
				return
			}
			mutex.Lock()
			etags[part.number] = etag
			mutex.Unlock()
		}()
		waitForRoom(ctx, room, parallel)
	}
	group.Wait()
	if outer.Err() != nil {
		return nil, outer.Err()
	}
	return etags, failure
}

// waitForRoom delays the next part, which a stream reads into memory, until it can be sent.
func waitForRoom(ctx context.Context, room chan struct{}, parallel int) {
	if len(room) < parallel {
		return
	}
	select {
	case room <- struct{}{}:
		<-room
	case <-ctx.Done():
	}
}
