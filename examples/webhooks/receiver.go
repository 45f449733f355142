// go run receiver.go: takes events at POST /hooks, signed with one of WEBHOOK_SECRETS, keeps each once in INBOX, answers, then works.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	platform "github.com/platform-services/platform-services/clients/go"
)

const maxBytes = 1024 * 1024

var (
	secrets = strings.Split(os.Getenv("WEBHOOK_SECRETS"), " ")
	inbox   = setting("INBOX", "inbox")
	waiting = make(chan string, 100_000)
)

// work is that of the application. It may arrive again after a crash, so it must do no harm twice.
func work(event platform.Event) error {
	fmt.Println(event.Type, event.Subject)
	return nil
}

// keep stores an event unless it is there. A folder stands for a table with the id as its key: a file that is not empty waits for its work.
func keep(id string, body []byte) (isNew bool, err error) {
	whole, err := os.CreateTemp(inbox, ".*")
	if err != nil {
		return false, err
	}
	defer os.Remove(whole.Name())
	defer whole.Close()
	if _, err := whole.Write(body); err != nil {
		return false, err
	}
	err = os.Link(whole.Name(), filepath.Join(inbox, id)) // as a whole, and only if there is none
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// workOnAll works on one event after another. After a failure the event stays, for the next start.
func workOnAll() {
	for id := range waiting {
		if err := workOn(filepath.Join(inbox, id)); err != nil {
			log.Println(id, err)
		}
	}
}

func workOn(path string) error {
	body, err := os.ReadFile(path)
	if err != nil || len(body) == 0 {
		return err
	}
	var event platform.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	if err := work(event); err != nil {
		return err
	}
	return os.Truncate(path, 0)
}

func receive(response http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		response.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	event, err := platform.VerifyWebhook(body, request.Header, secrets...)
	if err != nil {
		log.Println("refused:", err)
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	isNew, err := keep(event.ID, body)
	if err != nil {
		log.Println(err)
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	if isNew {
		waiting <- event.ID
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	if secrets[0] == "" {
		log.Fatal("WEBHOOK_SECRETS must have secrets as createWebhook returned them, separated by spaces")
	}
	must(os.MkdirAll(inbox, 0o700))
	left, err := os.ReadDir(inbox)
	must(err)
	go workOnAll()
	for _, entry := range left {
		if !strings.HasPrefix(entry.Name(), ".") {
			waiting <- entry.Name()
		}
	}
	listener, err := net.Listen("tcp", ":"+setting("PORT", "4000"))
	must(err)
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("/hooks", receive)
	server := http.Server{ReadTimeout: 15 * time.Second}
	must(server.Serve(listener))
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
