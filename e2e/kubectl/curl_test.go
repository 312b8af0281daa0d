package kubectl

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

// curl is as much of curl as sessions use, so that the machine need not have it:
//
//	curl [-s] [-N] [-i] URL
//
// It prints the answer as it comes, with -i after the line of its status.
func curl(arguments []string, out io.Writer) error {
	var head bool
	var url string
	for _, argument := range arguments {
		switch argument {
		case "-s", "-N": // it shows no progress and buffers nothing
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
	// Servers write JSON for people to whom they take for one.
	request.Header.Set("User-Agent", "curl/8")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("curl: %w", err)
	}
	defer response.Body.Close()
	if head {
		fmt.Fprintf(out, "%s %s\n", response.Proto, response.Status)
	}
	// The events of a watch are to be seen one by one, as they come.
	if _, err := io.Copy(out, response.Body); err != nil {
		return fmt.Errorf("curl: %s: %w", url, err)
	}
	return nil
}

// becomeCurl is the whole of the process that sessions start by that name.
func becomeCurl() {
	if err := curl(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
