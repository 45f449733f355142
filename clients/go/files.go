package platform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/platform-services/platform-services/clients/go/files"
)

// removalTime is the time for a failed upload to remove its file.
const removalTime = 5 * time.Second

// Files has the operations of file-management, and file transfers.
type Files struct {
	*files.Operations
	transport *transport
}

// UploadHandle is a resumable upload in parts. Store it until the upload ends.
type UploadHandle struct {
	FileID    string
	UploadID  string
	PartBytes int64
}

// UploadOptions describe the file to create, and how to send its content. The zero value has the defaults.
type UploadOptions struct {
	// File has the fields of the new file. With Accept, ContentType is the type of the content.
	File files.CreateFileInput
	// OnProgress receives the number of bytes transferred and the total, -1 while unknown. An error aborts the upload.
	OnProgress func(done, total int64) error
	// PartsFrom is the size above which content is sent in parts; 256 MiB by default. A stream is once it exceeds one part.
	PartsFrom int64
	// PartBytes is the size of a part, 5 MiB to 5 GiB; 16 MiB by default.
	PartBytes int64
	// Parallel is the number of concurrent parts, 1 to 16; 4 by default.
	Parallel int
	// OnStart is called with an upload in parts before its first byte is sent. With it, a failed upload stays and can be resumed.
	OnStart func(UploadHandle) error
	// Resume continues the upload that OnStart reported: only missing parts are sent.
	Resume *UploadHandle
	// sentAs is the content type of a file with Accept, which the server reads from the upload.
	sentAs *string
}

// UploadFile creates a file named after the last element of a path, and sends its content.
func (f *Files) UploadFile(ctx context.Context, path string, options ...UploadOptions) (*files.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !found.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	given := optionsOf(options)
	if given.File.Name == nil {
		given.File.Name = Ptr(filepath.Base(path))
	}
	return f.Upload(ctx, file, given)
}

func optionsOf(options []UploadOptions) UploadOptions {
	if len(options) == 0 {
		return UploadOptions{}
	}
	return options[0]
}

// Upload creates a file, sends its content in one request or in parts, and verifies its SHA-256: for parts of a stream only if
// ChecksumSHA256 is given. A source that is also an io.ReaderAt and io.Seeker, such as an open file or a bytes.Reader, is read again for
// a retry. A failed upload removes its file, unless OnStart is set.
func (f *Files) Upload(ctx context.Context, source io.Reader, options ...UploadOptions) (*files.File, error) {
	given, err := checked(optionsOf(options))
	if err != nil {
		return nil, err
	}
	found := contentOf(source)
	if found == nil {
		return f.uploadStream(ctx, source, given)
	}
	if given.Resume == nil && found.size <= given.PartsFrom {
		return f.uploadWhole(ctx, found, given)
	}
	if given.Resume == nil {
		if given.PartBytes, err = partSize(given.PartBytes, found.size); err != nil {
			return nil, err
		}
	}
	if given.File.ChecksumSHA256 == nil {
		checksum, err := found.sha256()
		if err != nil {
			return nil, err
		}
		given.File.ChecksumSHA256 = &checksum
	}
	file, err := f.uploadInParts(ctx, piecesOf(found, given.PartBytes), found.size, given)
	if err == nil && file.ChecksumSHA256 != nil && *file.ChecksumSHA256 != *given.File.ChecksumSHA256 {
		return nil, ownError(ContentMismatch, nil, "Parts of file %s had arrived from other content than this", file.ID)
	}
	return file, err
}

func checked(given UploadOptions) (UploadOptions, error) {
	if len(given.File.Accept) > 0 {
		given.sentAs, given.File.ContentType = given.File.ContentType, nil
	}
	if given.Parallel == 0 {
		given.Parallel = usualParallel
	}
	if given.Parallel < 1 || given.Parallel > mostParallel {
		return given, errors.New("Parallel must be from 1 to 16")
	}
	if given.PartsFrom == 0 {
		given.PartsFrom = usualPartsFrom
	}
	if given.Resume != nil {
		given.PartBytes = given.Resume.PartBytes
	}
	var err error
	given.PartBytes, err = partSize(given.PartBytes, 0)
	return given, err
}

func (f *Files) uploadStream(ctx context.Context, source io.Reader, given UploadOptions) (*files.File, error) {
	next := piecesOfStream(source, given.PartBytes)
	first, err := next()
	if err != nil {
		return nil, err
	}
	if first.size < given.PartBytes && given.Resume == nil {
		return f.uploadWhole(ctx, contentOf(first.open()), given)
	}
	all := func() (*piece, error) {
		if first == nil {
			return next()
		}
		one := first
		first = nil
		return one, nil
	}
	return f.uploadInParts(ctx, all, -1, given)
}

func (f *Files) uploadWhole(ctx context.Context, source *content, given UploadOptions) (*files.File, error) {
	created, err := f.CreateFile(ctx, given.File, Select("id uploadUrl"))
	if err != nil {
		return nil, err
	}
	file, err := f.sendWhole(ctx, source, created, given)
	if err != nil {
		after, cancel := context.WithTimeout(context.Background(), removalTime)
		defer cancel()
		_, _ = f.DeleteFile(after, created.ID, Select("id"))
	}
	return file, err
}

func (f *Files) sendWhole(ctx context.Context, source *content, created *files.File, given UploadOptions) (*files.File, error) {
	header := http.Header{}
	if given.sentAs != nil {
		header.Set("Content-Type", *given.sentAs)
	}
	if given.File.Name != nil {
		header.Set("Content-Disposition", contentDisposition(*given.File.Name))
	}
	var onSent func(int64) error
	if given.OnProgress != nil {
		onSent = func(sent int64) error { return given.OnProgress(sent, source.size) }
	}
	var digest hash.Hash
	_, err := retrying(ctx, f.transport.retries, passes, func(failures int) (string, error) {
		found := created
		if failures > 0 { // the first address is good for 30 s
			var err error
			if found, err = f.File(ctx, created.ID, Select("uploadUrl")); err != nil {
				return "", err
			}
		}
		if found == nil || found.UploadURL == nil {
			return "", ownError(NotFound, nil, "File %s was deleted while its content was sent", created.ID)
		}
		digest = sha256.New()
		return f.transport.put(ctx, *found.UploadURL, io.TeeReader(source.section(0, source.size), digest), source.size, header, onSent)
	})
	if err != nil {
		return nil, err
	}
	file, err := f.File(ctx, created.ID)
	if err != nil {
		return nil, err
	}
	if file == nil || Value(file.ChecksumSHA256) != hex.EncodeToString(digest.Sum(nil)) {
		return nil, ownError(ContentMismatch, nil, "The server has other bytes than were sent to file %s", created.ID)
	}
	return file, nil
}

func (f *Files) uploadInParts(ctx context.Context, next pieces, total int64, given UploadOptions) (*files.File, error) {
	handle := given.Resume
	if handle == nil {
		started, err := f.startParts(ctx, given)
		if err != nil {
			return nil, err
		}
		handle = started
	}
	file, err := f.sendParts(ctx, *handle, next, total, given)
	if err == nil {
		return file, nil
	}
	if given.Resume != nil && errors.Is(err, NotFound) {
		// The response to its completion may have been lost.
		file, again := f.File(ctx, handle.FileID)
		if again == nil && file != nil && Value(file.Uploaded) && (total < 0 || int64(Value(file.ContentLength)) == total) {
			return file, nil
		}
	}
	if given.Resume == nil && given.OnStart == nil {
		f.removeParts(*handle)
	}
	return nil, err
}

func (f *Files) startParts(ctx context.Context, given UploadOptions) (*UploadHandle, error) {
	created, err := f.CreateFile(ctx, given.File, Select("id"))
	if err != nil {
		return nil, err
	}
	upload, err := f.InitiateMultipartUpload(ctx, files.InitiateMultipartUploadInput{FileID: &created.ID}, Select("uploadId"))
	if err != nil {
		return nil, err
	}
	return &UploadHandle{created.ID, upload.UploadID, given.PartBytes}, nil
}

func (f *Files) sendParts(ctx context.Context, handle UploadHandle, next pieces, total int64, given UploadOptions) (*files.File, error) {
	if given.Resume == nil && given.OnStart != nil {
		if err := given.OnStart(handle); err != nil {
			return nil, err
		}
	}
	found, err := f.MultipartUpload(ctx, files.MultipartUploadArgs{FileID: handle.FileID, UploadID: handle.UploadID})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, ownError(NotFound, nil, "Upload %s does not exist", handle.UploadID)
	}
	arrived := map[int]arrivedPart{}
	for _, part := range found.Parts {
		arrived[part.PartNumber] = arrivedPart{part.ETag, &part.Size}
	}
	send := func(ctx context.Context, part *piece, onSent func(int64) error) (string, error) {
		return f.sendPart(ctx, handle, part, onSent)
	}
	count := &progress{total: total, onProgress: given.OnProgress}
	etags, err := uploadParts(ctx, next, arrived, send, given.Parallel, count)
	if err != nil {
		return nil, err
	}
	parts := make([]files.PartETag, 0, len(etags))
	for number, etag := range etags {
		parts = append(parts, files.PartETag{PartNumber: number, ETag: etag})
	}
	sort.Slice(parts, func(one, other int) bool { return parts[one].PartNumber < parts[other].PartNumber })
	return f.CompleteMultipartUpload(ctx, files.CompleteMultipartUploadInput{
		FileID: handle.FileID, UploadID: handle.UploadID, ETags: parts, ContentType: given.sentAs,
	})
}

func (f *Files) sendPart(ctx context.Context, handle UploadHandle, part *piece, onSent func(int64) error) (string, error) {
	wish := files.GeneratePartUploadUrlInput{FileID: handle.FileID, UploadID: handle.UploadID, PartNumber: part.number}
	etag, err := retrying(ctx, f.transport.retries, passesWithNewAddress, func(int) (string, error) {
		if err := onSent(0); err != nil {
			return "", err
		}
		address, err := f.GeneratePartUploadURL(ctx, wish)
		if err != nil {
			return "", err
		}
		return f.transport.put(ctx, address, part.open(), part.size, nil, onSent)
	})
	if err == nil && etag == "" {
		err = ownError(ContentMismatch, nil, "Part %d has no ETag", part.number)
	}
	return etag, err
}

func (f *Files) removeParts(handle UploadHandle) {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	_, _ = f.AbortMultipartUpload(ctx, files.AbortMultipartUploadInput{FileID: handle.FileID, UploadID: handle.UploadID}, Select("id"))
	_, _ = f.DeleteFile(ctx, handle.FileID, Select("id"))
}

func (f *Files) locate(ctx context.Context, id string) (*files.File, error) {
	file, err := f.File(ctx, id, Select("downloadUrl checksumSha256 contentLength"))
	if err != nil {
		return nil, err
	}
	if file == nil || file.DownloadURL == nil {
		return nil, ownError(NotFound, nil, "File %s does not exist or has no content", id)
	}
	return file, nil
}
