package rest

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxCredentialBytes bounds the files and outputs that credentials come from.
const maxCredentialBytes = 1 << 20

var errTooLargeForCredentials = fmt.Errorf("it is larger than %d bytes", maxCredentialBytes)

// readBounded reads a small file. The error does not repeat the path.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxCredentialBytes+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(content) > maxCredentialBytes {
		return nil, errTooLargeForCredentials
	}
	return content, nil
}

func withoutPath(err error) error {
	var inPath *os.PathError
	if errors.As(err, &inPath) {
		return inPath.Err
	}
	return err
}
