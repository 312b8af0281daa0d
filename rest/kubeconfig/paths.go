package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxSize limits the size of a kubeconfig. A file with a thousand clusters has about
// 4 MiB.
const maxSize = 8 << 20

// readFiles reads the kubeconfig files. It also returns the tried paths and why
// they were skipped, for error messages.
func (e environment) readFiles(path string) (files []*file, tried []string, err error) {
	if path != "" {
		parsed, err := readFile(path)
		return []*file{parsed}, []string{path}, err
	}
	paths, tried := e.candidatePaths()
	for _, path := range paths {
		parsed, err := readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			tried = append(tried, path+" does not exist")
		case err != nil:
			return nil, nil, err
		case parsed.empty():
			tried = append(tried, path+" is empty")
		default:
			tried = append(tried, path)
			files = append(files, parsed)
		}
	}
	return files, tried, nil
}

// candidatePaths returns the paths of the files in order of precedence.
func (e environment) candidatePaths() (paths, tried []string) {
	if list := e.getenv("KUBECONFIG"); list != "" {
		for _, path := range filepath.SplitList(list) {
			if path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		if paths == nil {
			tried = []string{"$KUBECONFIG lists no file"}
		}
		return paths, tried
	}
	home, err := e.home()
	if err != nil {
		return nil, []string{"$KUBECONFIG is not set", "there is no home directory"}
	}
	return []string{filepath.Join(home, ".kube", "config")}, []string{"$KUBECONFIG is not set"}
}

func readFile(path string) (*file, error) {
	data, err := readLimited(path)
	if err != nil {
		return nil, fmt.Errorf("read a kubeconfig: %w", err)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("find the directory of the kubeconfig %s: %w", path, err)
	}
	return parse(data, path, dir)
}

// readLimited reads at most maxSize bytes. It does not use the reported size of the
// file, which may be a pipe.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxSize)
	}
	return data, nil
}
