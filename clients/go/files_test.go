package platform

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platform-services/platform-services/clients/go/files"
)

func random(size int) []byte {
	content := make([]byte, size)
	_ = Must(rand.Read(content))
	return content
}

func written(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func named(prefix string) UploadOptions {
	return UploadOptions{File: files.CreateFileInput{Name: Ptr(prefix)}}
}

func count(t *testing.T, prefix string) int {
	t.Helper()
	args := files.FilesArgs{Filter: &files.FilesFilter{NamePrefix: &prefix}}
	return len(all[files.File](t, client.Files.AllFiles(ctx, args), func(file files.File) string { return file.ID }))
}

func has(t *testing.T, file *files.File, content []byte) {
	t.Helper()
	download := done[*Download](t)(client.Files.Download(ctx, file.ID))
	defer download.Close()
	if !bytes.Equal(done[[]byte](t)(io.ReadAll(download)), content) {
		t.Fatal("the content is another")
	}
}

// stream hides that a source can be read again.
type stream struct{ io.Reader }

// cutUploads cuts the connection of the first requests with content.
func cutUploads(t *testing.T, times int) func() int {
	t.Helper()
	cuts := 0
	proxy.disturb(t, func() {
		proxy.cutsRequest = func(data []byte) bool {
			if len(data) <= 20_000 || cuts >= times {
				return false
			}
			cuts++
			return true
		}
	})
	return func() (count int) { proxy.set(func() { count = cuts }); return }
}

func TestAFileWithRulesTakesItsTypeFromTheUpload(t *testing.T) {
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte("picture"), 20)...)
	rules := func(contentType *string) UploadOptions {
		return UploadOptions{File: files.CreateFileInput{
			Name: Ptr("portrait"), Accept: []string{"image/png", "image/jpeg"}, MaxBytes: Ptr(float64(11 << 20)), ContentType: contentType,
		}}
	}
	whole := done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(png), rules(Ptr("image/png"))))
	same(t, "type", *whole.ContentType, "image/png")
	options := rules(Ptr("image/png"))
	options.PartsFrom, options.PartBytes = 1, 5<<20
	inParts := done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(append(png, bytes.Repeat([]byte("picture"), 1<<20)...)), options))
	same(t, "type in parts", *inParts.ContentType, "image/png")
	for _, one := range []struct {
		content []byte
		options UploadOptions
		code    Code
	}{
		{[]byte("text"), rules(Ptr("image/png")), BadUserInput},
		{png, rules(Ptr("text/plain")), BadUserInput},
		{png, rules(nil), BadUserInput},
		{append(png, bytes.Repeat([]byte("picture"), 2<<20)...), rules(Ptr("image/png")), PayloadTooLarge},
	} {
		if _, err := client.Files.Upload(ctx, bytes.NewReader(one.content), one.options); !errors.Is(err, one.code) {
			t.Fatalf("%v instead of %v", err, one.code)
		}
	}
	same(t, "files", count(t, "portrait"), 2)
}

func TestAFileBytesAndAStreamAreSentInOneRequest(t *testing.T) {
	content := random(700_000)
	path := written(t, "käse 'n'.bin", content)
	var seen []int64
	options := UploadOptions{OnProgress: func(done, total int64) error { seen = append(seen, done, total); return nil }}
	file := done[*files.File](t)(client.Files.UploadFile(ctx, path, options))
	same(t, "name", *file.Name, "käse 'n'.bin")
	same(t, "length", *file.ContentLength, 700_000)
	same(t, "progress", seen[len(seen)-2], 700_000)
	same(t, "total", seen[len(seen)-1], 700_000)
	has(t, file, content)
	opened := done[*os.File](t)(os.Open(path))
	defer opened.Close()
	for _, source := range []io.Reader{bytes.NewReader(content), strings.NewReader(string(content)), opened, stream{bytes.NewReader(content)}} {
		has(t, done[*files.File](t)(client.Files.Upload(ctx, source, named("b.txt"))), content)
	}
	begun := bytes.NewReader(content)
	_ = Must(begun.Seek(5, io.SeekStart))
	has(t, done[*files.File](t)(client.Files.Upload(ctx, begun)), content[5:])
	has(t, done[*files.File](t)(client.Files.Upload(ctx, strings.NewReader(""))), nil)
	has(t, done[*files.File](t)(client.Files.Upload(ctx, stream{strings.NewReader("")})), nil)
}

func TestAnUnreadableSourceIsRefusedBeforeAFileIsCreated(t *testing.T) {
	before := count(t, "")
	if _, err := client.Files.UploadFile(ctx, "none"); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if _, err := client.Files.UploadFile(ctx, t.TempDir()); err == nil {
		t.Fatal("a folder was sent")
	}
	for _, wrong := range []UploadOptions{{PartBytes: 1}, {Parallel: 17}, {Parallel: -1}} {
		if _, err := client.Files.Upload(ctx, strings.NewReader(""), wrong); err == nil {
			t.Fatalf("%+v was taken", wrong)
		}
	}
	same(t, "files", count(t, ""), before)
}

func TestABrokenUploadIsResentAndAFailedOneLeavesNoFile(t *testing.T) {
	content := random(3 * mib)
	cuts := cutUploads(t, 1)
	has(t, done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(content))), content)
	same(t, "cuts", cuts(), 1)
	wrong := named("wrong.bin")
	wrong.File.ChecksumSHA256 = Ptr(strings.Repeat("0", 64))
	failed[*files.File](t, BadUserInput)(client.Files.Upload(ctx, bytes.NewReader(content), wrong))
	same(t, "files", count(t, "wrong"), 0)
	ended, cancel := context.WithCancel(ctx)
	halted := named("halted.bin")
	halted.OnProgress = func(int64, int64) error { cancel(); return nil }
	if _, err := client.Files.Upload(ended, bytes.NewReader(random(20*mib)), halted); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	same(t, "files", count(t, "halted"), 0)
}

type zeros struct{}

func (zeros) Read(buffer []byte) (int, error) { return len(buffer), nil }

func TestARefusalIsReadWhileBytesAreSent(t *testing.T) {
	sent := int64(0)
	endless := named("endless")
	endless.OnProgress = func(done, total int64) error { sent = done; return nil }
	failed[*files.File](t, PayloadTooLarge)(client.Files.Upload(ctx, zeros{}, endless))
	if sent > 400*mib {
		t.Fatalf("%d bytes were sent", sent)
	}
	same(t, "files", count(t, "endless"), 0)
	path := written(t, "large", nil)
	if err := os.Truncate(path, 400*mib); err != nil {
		t.Fatal(err)
	}
	failed[*files.File](t, PayloadTooLarge)(client.Files.UploadFile(ctx, path, UploadOptions{PartsFrom: 1 << 40}))
	same(t, "files", count(t, "large"), 0)
}

func TestLargeContentIsSentInPartsAndABrokenPartIsResent(t *testing.T) {
	content := random(12*mib + 5)
	path := written(t, "parts.bin", content)
	last := int64(0)
	options := UploadOptions{PartsFrom: mib, PartBytes: 5 * mib, OnProgress: func(done, _ int64) error { last = done; return nil }}
	file := done[*files.File](t)(client.Files.UploadFile(ctx, path, options))
	same(t, "progress", last, int64(len(content)))
	has(t, file, content)
	cuts := cutUploads(t, 2)
	streamed := done[*files.File](t)(client.Files.Upload(ctx, stream{bytes.NewReader(content)}, UploadOptions{PartBytes: 5 * mib, Parallel: 2}))
	same(t, "cuts", cuts(), 2)
	has(t, streamed, content)
}

func TestAnUploadInPartsResumesWithMissingPartsOnly(t *testing.T) {
	content := random(16 * mib)
	path := written(t, "resume.bin", content)
	var handle UploadHandle
	stopped := errors.New("stopped")
	options := UploadOptions{
		PartsFrom: 1,
		PartBytes: 5 * mib,
		Parallel:  1,
		OnStart:   func(started UploadHandle) error { handle = started; return nil },
		OnProgress: func(done, _ int64) error {
			if done > 11<<20 {
				return stopped
			}
			return nil
		},
	}
	if _, err := client.Files.UploadFile(ctx, path, options); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	arrived := done[*files.MultipartUpload](t)(client.Files.MultipartUpload(ctx, files.MultipartUploadArgs{FileID: handle.FileID, UploadID: handle.UploadID}))
	same(t, "parts", len(arrived.Parts), 2)
	sent := 0
	proxy.disturb(t, func() { proxy.cutsRequest = func(data []byte) bool { sent += len(data); return false } })
	file := done[*files.File](t)(client.Files.UploadFile(ctx, path, UploadOptions{Resume: &handle}))
	same(t, "file", file.ID, handle.FileID)
	proxy.set(func() {
		if sent > 7*mib {
			t.Errorf("%d bytes were sent", sent)
		}
	})
	has(t, file, content)
	// The response to the completion could have been lost: repeating the call returns the outcome.
	same(t, "again", done[*files.File](t)(client.Files.UploadFile(ctx, path, UploadOptions{Resume: &handle})).ID, file.ID)
}

func TestAnUploadInPartsThatFailsLeavesNoFile(t *testing.T) {
	broke := errors.New("the source broke")
	source := io.MultiReader(io.LimitReader(zeros{}, 11<<20), failing{broke})
	options := named("broken")
	options.PartBytes = 5 * mib
	if _, err := client.Files.Upload(ctx, source, options); !errors.Is(err, broke) {
		t.Fatal(err)
	}
	same(t, "files", count(t, "broken"), 0)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestABrokenDownloadIsResumedAndVerified(t *testing.T) {
	content := random(5 * mib)
	file := done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(content)))
	passed, cuts := 0, 0
	proxy.disturb(t, func() {
		proxy.cutsAnswer = func(data []byte) bool {
			passed += len(data)
			if cuts >= 2 || passed <= mib*(1+2*cuts) {
				return false
			}
			cuts++
			return true
		}
	})
	has(t, file, content)
	proxy.set(func() { same(t, "cuts", cuts, 2) })
	later := done[*Download](t)(client.Files.DownloadFrom(ctx, file.ID, mib))
	defer later.Close()
	same(t, "size", later.Size, int64(len(content)))
	if !bytes.Equal(done[[]byte](t)(io.ReadAll(later)), content[mib:]) {
		t.Fatal("the end is another")
	}
	ended := done[*Download](t)(client.Files.DownloadFrom(ctx, file.ID, int64(len(content))))
	defer ended.Close()
	same(t, "bytes behind the end", len(done[[]byte](t)(io.ReadAll(ended))), 0)
}

func TestADownloadOfReplacedContentFails(t *testing.T) {
	file := done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(random(6<<20))))
	download := done[*Download](t)(client.Files.Download(ctx, file.ID))
	defer download.Close()
	_ = Must(download.Read(make([]byte, 100)))
	address := done[*files.File](t)(client.Files.File(ctx, file.ID, Select("uploadUrl")))
	done[string](t)(client.transport.put(ctx, *address.UploadURL, strings.NewReader("other"), 5, nil, nil))
	proxy.cut()
	failed[[]byte](t, ContentMismatch)(io.ReadAll(download))
}

func TestADownloadToAPathResumesAnEarlierOneAndLeavesOnlyCompleteFiles(t *testing.T) {
	content := random(3 * mib)
	file := done[*files.File](t)(client.Files.Upload(ctx, bytes.NewReader(content)))
	path := written(t, "copy.bin.part", content[:mib])
	target := strings.TrimSuffix(path, ".part")
	first := int64(0)
	onProgress := func(done, total int64) error {
		if first == 0 {
			first = done
		}
		return nil
	}
	if err := client.Files.DownloadTo(ctx, file.ID, target, onProgress); err != nil {
		t.Fatal(err)
	}
	if first <= mib || !bytes.Equal(done[[]byte](t)(os.ReadFile(target)), content) {
		t.Fatal("it did not continue")
	}
	other := strings.TrimSuffix(written(t, "other.bin.part", make([]byte, mib)), ".part")
	if err := client.Files.DownloadTo(ctx, file.ID, other); !errors.Is(err, ContentMismatch) {
		t.Fatal(err)
	}
	if err := client.Files.DownloadTo(ctx, file.ID, other); err != nil {
		t.Fatal(err)
	}
	same(t, "files", len(done[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(other)))), 1)
}

func TestAFileWithoutContentIsNotFound(t *testing.T) {
	empty := done[*files.File](t)(client.Files.CreateFile(ctx, files.CreateFileInput{}))
	for _, id := range []string{unknownID, empty.ID} {
		failed[*Download](t, NotFound)(client.Files.Download(ctx, id))
	}
}
