package platform

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// silence is the time without a byte after which a connection counts as broken. The server itself stops after 60 s.
	silence         = 75 * time.Second
	maxRefusalBytes = 64 * 1024
)

// watch aborts a request in which no byte moves.
type watch struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	outer  context.Context
}

func newWatch(outer context.Context) *watch {
	ctx, cancel := context.WithCancel(outer)
	return &watch{ctx, cancel, time.AfterFunc(silence, cancel), outer}
}

func (w *watch) moved() { w.timer.Reset(silence) }

func (w *watch) end() {
	w.timer.Stop()
	w.cancel()
}

func (w *watch) fault(err error) error {
	if w.outer.Err() != nil {
		return w.outer.Err()
	}
	if w.ctx.Err() != nil {
		return ownError(TimedOut, err, "No byte moved for %s", silence)
	}
	return broken(err)
}

// sending reads content for a request, and stores an error of the content itself.
type sending struct {
	source io.Reader
	watch  *watch
	onSent func(sent int64) error
	mutex  sync.Mutex
	sent   int64
	fault  error
	isOver bool
}

func (s *sending) Read(buffer []byte) (int, error) {
	count, err := s.source.Read(buffer)
	s.watch.moved()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isOver { // the answer came before all bytes went
		return 0, io.ErrClosedPipe
	}
	s.sent += int64(count)
	if err != nil && err != io.EOF {
		s.fault = err
	}
	if count > 0 && s.onSent != nil {
		if own := s.onSent(s.sent); own != nil {
			s.fault, err = own, own
		}
	}
	return count, err
}

// Close ends the attempt: nothing of it is reported afterwards.
func (s *sending) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isOver = true
	return nil
}

func (s *sending) ownFault() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.fault
}

// put sends bytes with a content length, and returns the ETag of the response.
func (t *transport) put(ctx context.Context, address string, source io.Reader, size int64, header http.Header, onSent func(int64) error) (string, error) {
	watch := newWatch(ctx)
	defer watch.end()
	body := &sending{source: source, watch: watch, onSent: onSent}
	defer body.Close()
	request, err := http.NewRequestWithContext(watch.ctx, http.MethodPut, address, body)
	if err != nil {
		return "", err
	}
	request.ContentLength = size
	if size == 0 {
		request.Body = http.NoBody
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := t.transfers.Do(request)
	if err != nil {
		if own := body.ownFault(); own != nil {
			return "", own
		}
		return "", watch.fault(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
	if response.StatusCode != http.StatusOK {
		return "", errorOfAnswer(response, answer)
	}
	if err != nil {
		return "", watch.fault(err)
	}
	return response.Header.Get("ETag"), nil
}

// contentDisposition sets the name for downloads.
func contentDisposition(name string) string {
	const plain = "-._~"
	text := ""
	for _, one := range []byte(name) {
		isLetter := one >= '0' && one <= '9' || one >= 'A' && one <= 'Z' || one >= 'a' && one <= 'z'
		if isLetter || (one < 128 && containsByte(plain, one)) {
			text += string(rune(one))
		} else {
			text += fmt.Sprintf("%%%02X", one)
		}
	}
	return "attachment; filename*=UTF-8''" + text
}

func containsByte(text string, wanted byte) bool {
	for index := 0; index < len(text); index++ {
		if text[index] == wanted {
			return true
		}
	}
	return false
}
