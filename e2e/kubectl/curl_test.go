package kubectl

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

// curl implements the part of curl that sessions use, so that the machine need not have it:
//
//	curl [-s] [-N] [-i] URL
//
// It prints the body as it arrives. With -i the status line precedes it.
func curl(arguments []string, out io.Writer) error {
	var head bool
	var url string
	for _, argument := range arguments {
		switch argument {
		case "-s", "-N": // the defaults of this implementation
		case "-i":
			head = true
		default:
			url = argument
		}
	}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("curl: %w", err)
	}
	// Servers indent JSON for curl.
	request.Header.Set("User-Agent", "curl/8")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("curl: %w", err)
	}
	defer response.Body.Close()
	if head {
		fmt.Fprintf(out, "%s %s\n", response.Proto, response.Status)
	}
	// io.Copy prints the events of a watch as they arrive.
	if _, err := io.Copy(out, response.Body); err != nil {
		return fmt.Errorf("curl: %s: %w", url, err)
	}
	return nil
}

// becomeCurl is the main function of the process that sessions start as curl.
func becomeCurl() {
	if err := curl(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
