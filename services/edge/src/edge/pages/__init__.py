"""The pages, built beforehand by Vite; they are served as they are, and call the same API as everybody else."""
