package platform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
)

// Download is a running download, to read and to close. A broken connection is resumed.
type Download struct {
	// Size of the whole content.
	Size        int64
	ContentType string
	ETag        string

	files    *Files
	ctx      context.Context
	id       string
	position int64
	failures int
	response *http.Response
	watch    *watch
	digest   hash.Hash
	checksum string
}

var contentRange = regexp.MustCompile(`^bytes (?:(\d+)-\d+|\*)/(\d+)$`)

// Download opens the content of a file. Its SHA-256 is verified at the end, if the file has one.
func (f *Files) Download(ctx context.Context, id string) (*Download, error) {
	found, err := f.locate(ctx, id)
	if err != nil {
		return nil, err
	}
	return f.open(ctx, id, 0, Value(found.ChecksumSHA256))
}

// DownloadFrom opens the content of a file at a later byte, which cannot be verified.
func (f *Files) DownloadFrom(ctx context.Context, id string, position int64) (*Download, error) {
	return f.open(ctx, id, position, "")
}

func (f *Files) open(ctx context.Context, id string, position int64, checksum string) (*Download, error) {
	download := &Download{files: f, ctx: ctx, id: id, position: position, Size: -1, digest: sha256.New(), checksum: checksum}
	return download, download.connect()
}

// Read returns the next bytes.
func (d *Download) Read(buffer []byte) (int, error) {
	for len(buffer) > 0 {
		if d.position >= d.Size {
			if d.checksum != "" && hex.EncodeToString(d.digest.Sum(nil)) != d.checksum {
				return 0, ownError(ContentMismatch, nil, "File %s came with other bytes than it has", d.id)
			}
			return 0, io.EOF
		}
		count, err := d.response.Body.Read(buffer)
		d.watch.moved()
		if d.position+int64(count) > d.Size {
			return 0, ownError(ContentMismatch, nil, "More bytes came than there are")
		}
		if count > 0 {
			d.failures = 0
			d.position += int64(count)
			d.digest.Write(buffer[:count])
			return count, nil
		}
		if err != nil {
			if err := d.reconnect(err); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// Close ends the download.
func (d *Download) Close() error {
	if d.watch != nil {
		d.watch.end()
	}
	if d.response != nil {
		return d.response.Body.Close()
	}
	return nil
}

func (d *Download) reconnect(err error) error {
	var fault error = ownError(ConnectionBroken, nil, "The connection ended before the content did")
	if err != io.EOF {
		fault = d.watch.fault(err)
	}
	var own *Error
	if !errors.As(fault, &own) || d.failures >= d.files.transport.retries {
		return fault
	}
	d.failures++
	_ = d.Close()
	return d.connect()
}

func (d *Download) connect() error {
	_, err := retrying(d.ctx, d.files.transport.retries, passesWithNewAddress, func(int) (struct{}, error) {
		return struct{}{}, d.request()
	})
	return err
}

func (d *Download) request() error {
	found, err := d.files.locate(d.ctx, d.id)
	if err != nil {
		return err
	}
	watch := newWatch(d.ctx)
	request, err := http.NewRequestWithContext(watch.ctx, http.MethodGet, *found.DownloadURL, nil)
	if err != nil {
		watch.end()
		return err
	}
	request.Header.Set("Accept-Encoding", "identity") // a length is that of the content
	if d.position > 0 {
		request.Header.Set("Range", "bytes="+strconv.FormatInt(d.position, 10)+"-")
	}
	response, err := d.files.transport.transfers.Do(request)
	if err != nil {
		defer watch.end()
		return watch.fault(err)
	}
	if err := d.check(response); err != nil {
		response.Body.Close()
		watch.end()
		return err
	}
	d.response, d.watch = response, watch
	return nil
}

// check requires that every response is of the same content as the first.
func (d *Download) check(response *http.Response) error {
	isFirst := d.Size < 0
	size, begin := response.ContentLength, int64(0)
	if found := contentRange.FindStringSubmatch(response.Header.Get("Content-Range")); found != nil {
		size, _ = strconv.ParseInt(found[2], 10, 64)
		begin = -1
		if found[1] != "" {
			begin, _ = strconv.ParseInt(found[1], 10, 64)
		}
	}
	isAtEnd := response.StatusCode == http.StatusRequestedRangeNotSatisfiable && size == d.position
	isShorter := response.StatusCode == http.StatusRequestedRangeNotSatisfiable && !isFirst
	if response.StatusCode != 200 && response.StatusCode != 206 && !isAtEnd && !isShorter {
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
		return errorOfAnswer(response, body)
	}
	etag := response.Header.Get("ETag")
	goesOn := isAtEnd || begin == d.position
	isOther := !isFirst && (size != d.Size || etag != d.ETag)
	if size < 0 || !goesOn || isOther {
		return ownError(ContentMismatch, nil, "The content was replaced while it was read, or a proxy changed it")
	}
	if isFirst {
		d.Size, d.ETag, d.ContentType = size, etag, response.Header.Get("Content-Type")
	}
	return nil
}

// DownloadTo writes the content to a file, which appears once it is complete. Until then PATH.part has the received part, with which a later
// call resumes.
func (f *Files) DownloadTo(ctx context.Context, id, path string, onProgress ...func(done, total int64) error) error {
	found, err := f.locate(ctx, id)
	if err != nil {
		return err
	}
	part := path + ".part"
	digest := sha256.New()
	begin := int64(0)
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	// Received bytes are trustworthy only after verification of the whole content.
	if there, err := os.Stat(part); err == nil && found.ChecksumSHA256 != nil && float64(there.Size()) <= Value(found.ContentLength) {
		if begin, err = hashFile(digest, part); err != nil {
			return err
		}
		flags = os.O_WRONLY | os.O_APPEND
	}
	download, err := f.open(ctx, id, begin, "")
	if err != nil {
		return err
	}
	defer download.Close()
	file, err := os.OpenFile(part, flags, 0o666)
	if err != nil {
		return err
	}
	if err := copyTo(file, io.TeeReader(download, digest), download, onProgress); err != nil {
		return err
	}
	if found.ChecksumSHA256 != nil && hex.EncodeToString(digest.Sum(nil)) != *found.ChecksumSHA256 {
		_ = os.Remove(part)
		return ownError(ContentMismatch, nil, "File %s came with other bytes than it has, or %s was of another; call again", id, part)
	}
	return os.Rename(part, path)
}

func hashFile(digest hash.Hash, path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(digest, file)
}

// copyTo writes everything to the disk, and closes the file.
func copyTo(file *os.File, source io.Reader, download *Download, onProgress []func(done, total int64) error) error {
	defer file.Close()
	buffer := make([]byte, 256*1024)
	for {
		count, err := source.Read(buffer)
		if _, err := file.Write(buffer[:count]); err != nil {
			return err
		}
		if err == io.EOF {
			return file.Sync()
		}
		if err != nil {
			return err
		}
		for _, hear := range onProgress {
			if err := hear(download.position, download.Size); err != nil {
				return err
			}
		}
	}
}
