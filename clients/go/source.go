package platform

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// content has a known size, and can be read again, from any position and by several goroutines.
type content struct {
	io.ReaderAt
	size int64
}

func (c *content) section(from, to int64) io.Reader { return io.NewSectionReader(c, from, to-from) }

func (c *content) sha256() (string, error) {
	digest := sha256.New()
	if _, err := io.Copy(digest, c.section(0, c.size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// contentOf returns the rest of a source that can be read from any position, and nil for a stream.
func contentOf(source io.Reader) *content {
	at, isAt := source.(io.ReaderAt)
	seeker, isSeeker := source.(io.Seeker)
	if !isAt || !isSeeker {
		return nil
	}
	begin, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // such as a pipe
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	if _, err := seeker.Seek(begin, io.SeekStart); err != nil || end < begin {
		return nil
	}
	return &content{io.NewSectionReader(at, begin, end-begin), end - begin}
}

// piece is a part to send.
type piece struct {
	number int
	size   int64
	open   func() io.Reader
}

// pieces returns the next part; io.EOF after the last one.
type pieces func() (*piece, error)

// piecesOf splits content of known size. Empty content is one empty part.
func piecesOf(source *content, partBytes int64) pieces {
	number := 0
	return func() (*piece, error) {
		from := int64(number) * partBytes
		if number > 0 && from >= source.size {
			return nil, io.EOF
		}
		to := from + partBytes
		if to > source.size {
			to = source.size
		}
		number++
		return &piece{number, to - from, func() io.Reader { return source.section(from, to) }}, nil
	}
}

// piecesOfStream splits a stream into parts in memory, each of which can be resent. An empty stream is one empty part.
func piecesOfStream(source io.Reader, partBytes int64) pieces {
	number := 0
	isEnd := false
	return func() (*piece, error) {
		if isEnd {
			return nil, io.EOF
		}
		var part bytes.Buffer
		count, err := io.Copy(&part, io.LimitReader(source, partBytes))
		if err != nil {
			return nil, err
		}
		isEnd = count < partBytes
		if count == 0 && number > 0 {
			return nil, io.EOF
		}
		number++
		return &piece{number, count, func() io.Reader { return bytes.NewReader(part.Bytes()) }}, nil
	}
}
