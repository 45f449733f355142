package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Services calls platform-services with nothing but the standard library.
type Services struct {
	URL, Key string
}

// ServiceError is a refusal: its code is of the closed list, and its field names the input that is wrong.
type ServiceError struct {
	Message    string
	Extensions struct{ Code, Field string }
}

func (e ServiceError) Error() string { return e.Extensions.Code + ": " + e.Message }

// Variables of an operation, or an input among them.
type Variables map[string]any

var client = http.Client{Timeout: 40 * time.Second}

// Request runs an operation of a service, such as "email", and stores its data in result.
func (s Services) Request(service, query string, variables Variables, result any) error {
	body, err := json.Marshal(Variables{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, s.URL+"/"+service+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set("x-api-key", s.Key)
	content, err := send(request)
	var answer struct {
		Data   json.RawMessage
		Errors []ServiceError
	}
	if json.Unmarshal(content, &answer) == nil && len(answer.Errors) > 0 {
		return answer.Errors[0]
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.Data, result)
}

// Put sends the content of a file. The signed address needs no key.
func Put(url string, content []byte) error {
	request, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(content))
	if err != nil {
		return err
	}
	_, err = send(request)
	return err
}

// Get returns the content of a file.
func Get(url string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return send(request)
}

// send returns the body of an answer, also of one that is an error.
func send(request *http.Request) ([]byte, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s", request.Method, request.URL.Path, response.Status)
	}
	return content, err
}
